{ CRC-32 and CRC-32C that need no library: the loops that people compare, in Pascal and in assembly for x86-64.

  CRC-32 is the ZIP one (reflected polynomial $EDB88320), CRC-32C Castagnoli's ($82F63B78), which the processor's crc32 instruction computes. All functions take and
  give finished values as zlib's crc32() does: 0 is the CRC of nothing, and the CRC of A followed by B is Crc(B, LenB, Crc(A, LenA)).

  The assembly is Free Pascal's; Delphi compiles the functions in Pascal. It uses only registers that a function may change under Linux's convention and Windows'. }
unit Crc32Kernels;

{$IFDEF FPC}{$IFNDEF FPC_OBJFPC}{$MODE DELPHI}{$ENDIF}{$ASMMODE INTEL}{$ENDIF}
{$Q-}{$R-}

interface

type
  TCrcFunction = function(Data: Pointer; Len: NativeUInt; Initial: Cardinal): Cardinal;

{ One table look-up for each byte. }
function Crc32Bytewise(Data: Pointer; Len: NativeUInt; Initial: Cardinal): Cardinal;
{ Eight tables: eight bytes for each turn, whose look-ups do not wait for one another. }
function Crc32Slicing8(Data: Pointer; Len: NativeUInt; Initial: Cardinal): Cardinal;
{ As Crc32Bytewise, with the polynomial of CRC-32C. }
function Crc32cBytewise(Data: Pointer; Len: NativeUInt; Initial: Cardinal): Cardinal;
function Crc32cSlicing8(Data: Pointer; Len: NativeUInt; Initial: Cardinal): Cardinal;

{$IFDEF CPUX86_64}
{ Five instructions for each byte, and two of the loop. }
function Crc32BytewiseAsm(Data: Pointer; Len: NativeUInt; Initial: Cardinal): Cardinal;
{ The five of the look-up for each byte, for eight bytes of one load. }
function Crc32UnrolledAsm(Data: Pointer; Len: NativeUInt; Initial: Cardinal): Cardinal;
function Crc32Slicing8Asm(Data: Pointer; Len: NativeUInt; Initial: Cardinal): Cardinal;
{ Folding by carry-less multiplication, 64 bytes for each turn (Gopal and others, Fast CRC Computation for Generic Polynomials Using PCLMULQDQ, 2009). Needs
  HasClmul. }
function Crc32FoldAsm(Data: Pointer; Len: NativeUInt; Initial: Cardinal): Cardinal;
{ The processor's crc32 instruction. Needs HasSse42. }
function Crc32cSse42Asm(Data: Pointer; Len: NativeUInt; Initial: Cardinal): Cardinal;

function HasSse42: Boolean;
function HasClmul: Boolean;
{$ENDIF}

implementation

type
  TTable = array[0..255] of Cardinal;
  TTables = array[0..7] of TTable;

var
  Zip, Castagnoli: TTables;

procedure Fill(out Tables: TTables; Polynomial: Cardinal);
var
  I, K: Integer;
  C: Cardinal;
begin
  for I := 0 to 255 do
  begin
    C := I;
    for K := 1 to 8 do
      C := (C shr 1) xor (Polynomial and (0 - (C and 1)));
    Tables[0][I] := C;
  end;
  { Table K is for a byte that K others follow. }
  for K := 1 to 7 do
    for I := 0 to 255 do
      Tables[K][I] := (Tables[K - 1][I] shr 8) xor Tables[0][Byte(Tables[K - 1][I])];
end;

function Bytewise(const Table: TTable; P: PByte; Len: NativeUInt; C: Cardinal): Cardinal; inline;
begin
  while Len > 0 do
  begin
    C := (C shr 8) xor Table[Byte(C) xor P^];
    Inc(P);
    Dec(Len);
  end;
  Result := C;
end;

{ Eight bytes by two words of 32 bits, the first of which the CRC so far goes into; the byte order is little-endian whatever the machine's. }
function Slicing8(const T: TTables; P: PByte; Len: NativeUInt; C: Cardinal): Cardinal; inline;
var
  Low, High: Cardinal;
begin
  while Len >= 8 do
  begin
    {$IFDEF ENDIAN_BIG}
    Low := SwapEndian(PCardinal(P)^);
    High := SwapEndian(PCardinal(P + 4)^);
    {$ELSE}
    Low := PCardinal(P)^;
    High := PCardinal(P + 4)^;
    {$ENDIF}
    Low := Low xor C;
    C := T[3][Byte(High)] xor T[2][Byte(High shr 8)] xor T[1][Byte(High shr 16)] xor T[0][High shr 24] xor
      (T[7][Byte(Low)] xor T[6][Byte(Low shr 8)] xor (T[5][Byte(Low shr 16)] xor T[4][Low shr 24]));
    Inc(P, 8);
    Dec(Len, 8);
  end;
  Result := Bytewise(T[0], P, Len, C);
end;

function Crc32Bytewise(Data: Pointer; Len: NativeUInt; Initial: Cardinal): Cardinal;
begin
  Result := not Bytewise(Zip[0], Data, Len, not Initial);
end;

function Crc32Slicing8(Data: Pointer; Len: NativeUInt; Initial: Cardinal): Cardinal;
begin
  Result := not Slicing8(Zip, Data, Len, not Initial);
end;

function Crc32cBytewise(Data: Pointer; Len: NativeUInt; Initial: Cardinal): Cardinal;
begin
  Result := not Bytewise(Castagnoli[0], Data, Len, not Initial);
end;

function Crc32cSlicing8(Data: Pointer; Len: NativeUInt; Initial: Cardinal): Cardinal;
begin
  Result := not Slicing8(Castagnoli, Data, Len, not Initial);
end;

{$IFDEF CPUX86_64}

{ In all of these: r8 the next byte, r9 the bytes that are left, eax the CRC, r10 the tables. }

function Crc32BytewiseAsm(Data: Pointer; Len: NativeUInt; Initial: Cardinal): Cardinal; assembler; nostackframe;
asm
  {$IFDEF WIN64}
  mov     eax, r8d
  mov     r8, rcx
  mov     r9, rdx
  {$ELSE}
  mov     r8, rdi
  mov     r9, rsi
  mov     eax, edx
  {$ENDIF}
  lea     r10, [rip + Zip]
  not     eax
  add     r9, r8
  cmp     r8, r9
  je      @done
@next:
  movzx   ecx, byte ptr [r8]
  add     r8, 1
  xor     cl, al
  shr     eax, 8
  xor     eax, dword ptr [r10 + rcx * 4]
  cmp     r8, r9
  jne     @next
@done:
  not     eax
end;

function Crc32UnrolledAsm(Data: Pointer; Len: NativeUInt; Initial: Cardinal): Cardinal; assembler; nostackframe;
asm
  {$IFDEF WIN64}
  mov     eax, r8d
  mov     r8, rcx
  mov     r9, rdx
  {$ELSE}
  mov     r8, rdi
  mov     r9, rsi
  mov     eax, edx
  {$ENDIF}
  lea     r10, [rip + Zip]
  not     eax
  sub     r9, 8
  jb      @rest
@next:
  mov     rdx, qword ptr [r8]
  add     r8, 8
  { Eight times: the lowest byte of the message goes into the lowest of the CRC, which is looked up. }
  movzx   ecx, dl
  xor     cl, al
  shr     rdx, 8
  shr     eax, 8
  xor     eax, dword ptr [r10 + rcx * 4]
  movzx   ecx, dl
  xor     cl, al
  shr     rdx, 8
  shr     eax, 8
  xor     eax, dword ptr [r10 + rcx * 4]
  movzx   ecx, dl
  xor     cl, al
  shr     rdx, 8
  shr     eax, 8
  xor     eax, dword ptr [r10 + rcx * 4]
  movzx   ecx, dl
  xor     cl, al
  shr     rdx, 8
  shr     eax, 8
  xor     eax, dword ptr [r10 + rcx * 4]
  movzx   ecx, dl
  xor     cl, al
  shr     rdx, 8
  shr     eax, 8
  xor     eax, dword ptr [r10 + rcx * 4]
  movzx   ecx, dl
  xor     cl, al
  shr     rdx, 8
  shr     eax, 8
  xor     eax, dword ptr [r10 + rcx * 4]
  movzx   ecx, dl
  xor     cl, al
  shr     rdx, 8
  shr     eax, 8
  xor     eax, dword ptr [r10 + rcx * 4]
  xor     dl, al
  shr     eax, 8
  xor     eax, dword ptr [r10 + rdx * 4]
  sub     r9, 8
  jae     @next
@rest:
  add     r9, 8
  jz      @done
@byte:
  movzx   ecx, byte ptr [r8]
  add     r8, 1
  xor     cl, al
  shr     eax, 8
  xor     eax, dword ptr [r10 + rcx * 4]
  sub     r9, 1
  jnz     @byte
@done:
  not     eax
end;

function Crc32Slicing8Asm(Data: Pointer; Len: NativeUInt; Initial: Cardinal): Cardinal; assembler; nostackframe;
asm
  {$IFDEF WIN64}
  mov     eax, r8d
  mov     r8, rcx
  mov     r9, rdx
  {$ELSE}
  mov     r8, rdi
  mov     r9, rsi
  mov     eax, edx
  {$ENDIF}
  lea     r10, [rip + Zip]
  not     eax
  sub     r9, 8
  jb      @rest
@next:
  { The look-up of a sum is the sum of the look-ups: so the message's bytes are looked up ahead, and the chain from turn to turn begins with the CRC's own bytes. }
  movzx   ecx, byte ptr [r8 + 0]
  mov     r11d, dword ptr [r10 + rcx * 4 + 7168]
  movzx   ecx, byte ptr [r8 + 1]
  xor     r11d, dword ptr [r10 + rcx * 4 + 6144]
  movzx   ecx, byte ptr [r8 + 2]
  xor     r11d, dword ptr [r10 + rcx * 4 + 5120]
  movzx   ecx, byte ptr [r8 + 3]
  xor     r11d, dword ptr [r10 + rcx * 4 + 4096]
  movzx   ecx, byte ptr [r8 + 4]
  xor     r11d, dword ptr [r10 + rcx * 4 + 3072]
  movzx   ecx, byte ptr [r8 + 5]
  xor     r11d, dword ptr [r10 + rcx * 4 + 2048]
  movzx   ecx, byte ptr [r8 + 6]
  xor     r11d, dword ptr [r10 + rcx * 4 + 1024]
  movzx   ecx, byte ptr [r8 + 7]
  xor     r11d, dword ptr [r10 + rcx * 4]
  movzx   ecx, al
  mov     edx, eax
  shr     edx, 8
  xor     r11d, dword ptr [r10 + rcx * 4 + 7168]
  mov     ecx, eax
  shr     eax, 24
  movzx   edx, dl
  shr     ecx, 16
  xor     r11d, dword ptr [r10 + rax * 4 + 4096]
  movzx   ecx, cl
  mov     eax, dword ptr [r10 + rdx * 4 + 6144]
  xor     eax, dword ptr [r10 + rcx * 4 + 5120]
  xor     eax, r11d
  add     r8, 8
  sub     r9, 8
  jae     @next
@rest:
  add     r9, 8
  jz      @done
@byte:
  movzx   ecx, byte ptr [r8]
  add     r8, 1
  xor     cl, al
  shr     eax, 8
  xor     eax, dword ptr [r10 + rcx * 4]
  sub     r9, 1
  jnz     @byte
@done:
  not     eax
end;

function Crc32cSse42Asm(Data: Pointer; Len: NativeUInt; Initial: Cardinal): Cardinal; assembler; nostackframe;
asm
  {$IFDEF WIN64}
  mov     eax, r8d
  mov     r8, rcx
  mov     r9, rdx
  {$ELSE}
  mov     r8, rdi
  mov     r9, rsi
  mov     eax, edx
  {$ENDIF}
  not     eax
  { Up to a multiple of eight, eight bytes a step, then four, two, one. }
  test    r9, r9
  jz      @done
@head:
  test    r8, 7
  jz      @aligned
  crc32   eax, byte ptr [r8]
  add     r8, 1
  sub     r9, 1
  jnz     @head
  jmp     @done
@aligned:
  sub     r9, 8
  jb      @four
@next:
  crc32   rax, qword ptr [r8]
  add     r8, 8
  sub     r9, 8
  jae     @next
@four:
  test    r9, 4
  jz      @two
  crc32   eax, dword ptr [r8]
  add     r8, 4
@two:
  test    r9, 2
  jz      @one
  crc32   eax, word ptr [r8]
  add     r8, 2
@one:
  test    r9, 1
  jz      @done
  crc32   eax, byte ptr [r8]
@done:
  not     eax
end;

type
  TPair = packed record
    Low, High: UInt64;
  end;

const
  { x to the power of the distance in bits (modulo the polynomial), bit-reflected, for the low and the high half of a register. }
  FOLD_512: TPair = (Low: $154442BD4; High: $1C6E41596);
  FOLD_128: TPair = (Low: $1751997D0; High: $0CCAA009E);
  FOLD_64: TPair = (Low: $163CD6124; High: 0);
  { The polynomial, and x^64 divided by it, for Barrett's reduction. }
  BARRETT: TPair = (Low: $1DB710641; High: $1F7011641);
  LOW_32: TPair = (Low: $FFFFFFFF; High: 0);

{ Free Pascal's assembler has no pclmulqdq, so its bytes stand there. C is not inverted here; Len is a multiple of 16, and at least 64. }
function Fold(Data: Pointer; Len: NativeUInt; C: Cardinal): Cardinal; assembler; nostackframe;
asm
  {$IFDEF WIN64}
  { A function may change all vector registers on Linux, but only xmm0 to xmm5 on Windows. }
  mov     eax, r8d
  mov     r8, rcx
  mov     r9, rdx
  {$ELSE}
  mov     r8, rdi
  mov     r9, rsi
  mov     eax, edx
  {$ENDIF}
  movd    xmm4, eax
  movdqu  xmm0, [r8]
  movdqu  xmm1, [r8 + 16]
  movdqu  xmm2, [r8 + 32]
  movdqu  xmm3, [r8 + 48]
  pxor    xmm0, xmm4
  add     r8, 64
  movdqu  xmm5, [rip + FOLD_512]
  sub     r9, 128
  jb      @four
@next:
  movdqa  xmm4, xmm0
  db      $66, $0F, $3A, $44, $C5, $00   { pclmulqdq xmm0, xmm5, $00 }
  db      $66, $0F, $3A, $44, $E5, $11   { pclmulqdq xmm4, xmm5, $11 }
  pxor    xmm0, xmm4
  movdqu  xmm4, [r8]
  pxor    xmm0, xmm4
  movdqa  xmm4, xmm1
  db      $66, $0F, $3A, $44, $CD, $00   { pclmulqdq xmm1, xmm5, $00 }
  db      $66, $0F, $3A, $44, $E5, $11   { pclmulqdq xmm4, xmm5, $11 }
  pxor    xmm1, xmm4
  movdqu  xmm4, [r8 + 16]
  pxor    xmm1, xmm4
  movdqa  xmm4, xmm2
  db      $66, $0F, $3A, $44, $D5, $00   { pclmulqdq xmm2, xmm5, $00 }
  db      $66, $0F, $3A, $44, $E5, $11   { pclmulqdq xmm4, xmm5, $11 }
  pxor    xmm2, xmm4
  movdqu  xmm4, [r8 + 32]
  pxor    xmm2, xmm4
  movdqa  xmm4, xmm3
  db      $66, $0F, $3A, $44, $DD, $00   { pclmulqdq xmm3, xmm5, $00 }
  db      $66, $0F, $3A, $44, $E5, $11   { pclmulqdq xmm4, xmm5, $11 }
  pxor    xmm3, xmm4
  movdqu  xmm4, [r8 + 48]
  pxor    xmm3, xmm4
  add     r8, 64
  sub     r9, 64
  jae     @next
@four:
  { Four registers to one. }
  movdqu  xmm5, [rip + FOLD_128]
  movdqa  xmm4, xmm0
  db      $66, $0F, $3A, $44, $C5, $00   { pclmulqdq xmm0, xmm5, $00 }
  db      $66, $0F, $3A, $44, $E5, $11   { pclmulqdq xmm4, xmm5, $11 }
  pxor    xmm0, xmm4
  pxor    xmm0, xmm1
  movdqa  xmm4, xmm0
  db      $66, $0F, $3A, $44, $C5, $00   { pclmulqdq xmm0, xmm5, $00 }
  db      $66, $0F, $3A, $44, $E5, $11   { pclmulqdq xmm4, xmm5, $11 }
  pxor    xmm0, xmm4
  pxor    xmm0, xmm2
  movdqa  xmm4, xmm0
  db      $66, $0F, $3A, $44, $C5, $00   { pclmulqdq xmm0, xmm5, $00 }
  db      $66, $0F, $3A, $44, $E5, $11   { pclmulqdq xmm4, xmm5, $11 }
  pxor    xmm0, xmm4
  pxor    xmm0, xmm3
  { What is left, 16 bytes at a time. }
  add     r9, 64
@sixteen:
  sub     r9, 16
  jb      @reduce
  movdqa  xmm4, xmm0
  db      $66, $0F, $3A, $44, $C5, $00   { pclmulqdq xmm0, xmm5, $00 }
  db      $66, $0F, $3A, $44, $E5, $11   { pclmulqdq xmm4, xmm5, $11 }
  pxor    xmm0, xmm4
  movdqu  xmm4, [r8]
  pxor    xmm0, xmm4
  add     r8, 16
  jmp     @sixteen
@reduce:
  { 128 bits to 96, to 64, and Barrett's reduction to 32. }
  movdqa  xmm1, xmm0
  db      $66, $0F, $3A, $44, $C5, $10   { pclmulqdq xmm0, xmm5, $10 }
  psrldq  xmm1, 8
  pxor    xmm0, xmm1
  movdqu  xmm3, [rip + LOW_32]
  movdqa  xmm1, xmm0
  psrldq  xmm1, 4
  pand    xmm0, xmm3
  movdqu  xmm5, [rip + FOLD_64]
  db      $66, $0F, $3A, $44, $C5, $00   { pclmulqdq xmm0, xmm5, $00 }
  pxor    xmm0, xmm1
  movdqu  xmm5, [rip + BARRETT]
  movdqa  xmm1, xmm0
  pand    xmm0, xmm3
  db      $66, $0F, $3A, $44, $C5, $10   { pclmulqdq xmm0, xmm5, $10 }
  pand    xmm0, xmm3
  db      $66, $0F, $3A, $44, $C5, $00   { pclmulqdq xmm0, xmm5, $00 }
  pxor    xmm0, xmm1
  psrldq  xmm0, 4
  movd    eax, xmm0
end;

function Crc32FoldAsm(Data: Pointer; Len: NativeUInt; Initial: Cardinal): Cardinal;
var
  Whole: NativeUInt;
begin
  if Len < 64 then
    Exit(Crc32Slicing8Asm(Data, Len, Initial));
  Whole := Len and not NativeUInt(15);
  Result := not Fold(Data, Whole, not Initial);
  if Len > Whole then
    Result := Crc32Slicing8Asm(PByte(Data) + Whole, Len - Whole, Result);
end;

{ CPUID's leaf 1, register ecx. rbx is to be kept. }
function Features: Cardinal; assembler; nostackframe;
asm
  mov     r8, rbx
  mov     eax, 1
  xor     ecx, ecx
  cpuid
  mov     eax, ecx
  mov     rbx, r8
end;

function HasSse42: Boolean;
begin
  Result := Features and (1 shl 20) <> 0;
end;

function HasClmul: Boolean;
begin
  Result := Features and (1 shl 1) <> 0;
end;

{$ENDIF}

initialization
  Fill(Zip, $EDB88320);
  Fill(Castagnoli, $82F63B78);
end.
