{ CRC-32 and CRC-32C that need no library: the loops that people compare, in Pascal and in assembly for x86-64 and i386.

  CRC-32 is the ZIP one (reflected polynomial $EDB88320), CRC-32C Castagnoli's ($82F63B78), which the processor's crc32 instruction computes. All functions take and
  give finished values as zlib's crc32() does: 0 is the CRC of nothing, and the CRC of A followed by B is Crc(B, LenB, Crc(A, LenA)).

  The assembly for x86-64 is Free Pascal's; Delphi compiles the functions in Pascal there. It uses only registers that a function may change under Linux's convention and
  Windows'. That for i386 is written for Delphi's assembler as well. }
unit Crc32Kernels;

{$IFDEF FPC}{$IFNDEF FPC_OBJFPC}{$MODE DELPHI}{$ENDIF}{$ASMMODE INTEL}{$ENDIF}
{$Q-}{$R-}

interface

{ The i386 assembly uses absolute addresses, which position-independent code must not contain. (Free Pascal defines PIC
  from here on.) }
{$IFDEF CPUX86}{$IFNDEF PIC}{$DEFINE I386ASM}{$ENDIF}{$ENDIF}
{$IF defined(I386ASM) or defined(CPUX86_64)}{$DEFINE CRCASM}{$IFEND}

type
  TCrcFunction = function(Data: Pointer; Len: NativeUInt; Initial: Cardinal): Cardinal;

{ One table look-up per byte. }
function Crc32Bytewise(Data: Pointer; Len: NativeUInt; Initial: Cardinal): Cardinal;
{ Eight tables: eight bytes per iteration, with independent look-ups. }
function Crc32Slicing8(Data: Pointer; Len: NativeUInt; Initial: Cardinal): Cardinal;
{ Like Crc32Bytewise, with the polynomial of CRC-32C. }
function Crc32cBytewise(Data: Pointer; Len: NativeUInt; Initial: Cardinal): Cardinal;
function Crc32cSlicing8(Data: Pointer; Len: NativeUInt; Initial: Cardinal): Cardinal;

{$IFDEF CRCASM}
{ Five instructions per byte, plus two for the loop. }
function Crc32BytewiseAsm(Data: Pointer; Len: NativeUInt; Initial: Cardinal): Cardinal;
{ The five instructions of the look-up per byte, for eight bytes per load (two on i386). }
function Crc32UnrolledAsm(Data: Pointer; Len: NativeUInt; Initial: Cardinal): Cardinal;
function Crc32Slicing8Asm(Data: Pointer; Len: NativeUInt; Initial: Cardinal): Cardinal;
{ Folding by carry-less multiplication, 64 bytes per iteration (Gopal et al., Fast CRC Computation for Generic
  Polynomials Using PCLMULQDQ, 2009). Needs HasClmul. }
function Crc32FoldAsm(Data: Pointer; Len: NativeUInt; Initial: Cardinal): Cardinal;
{ The CPU's crc32 instruction. Needs HasSse42. }
function Crc32cSse42Asm(Data: Pointer; Len: NativeUInt; Initial: Cardinal): Cardinal;

function HasSse42: Boolean;
function HasClmul: Boolean;
{$ENDIF}
{$IFDEF CPUX86_64}
{ Like Crc32FoldAsm with 512-bit registers, 256 bytes per iteration. Needs HasVpclmul. }
function Crc32FoldWideAsm(Data: Pointer; Len: NativeUInt; Initial: Cardinal): Cardinal;
function HasVpclmul: Boolean;
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
  { Table K is for a byte followed by K others. }
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

{ The look-up of a sum is the sum of the look-ups: the message's bytes are looked up ahead of time, and only the CRC's
  own four bytes wait for the previous iteration. }
function Slicing8(const T: TTables; P: PByte; Len: NativeUInt; C: Cardinal): Cardinal; inline;
var
  Ahead: Cardinal;
begin
  while Len >= 8 do
  begin
    Ahead := T[7][P[0]] xor T[6][P[1]] xor T[5][P[2]] xor T[4][P[3]] xor T[3][P[4]] xor T[2][P[5]] xor T[1][P[6]] xor T[0][P[7]];
    C := Ahead xor T[7][Byte(C)] xor T[6][Byte(C shr 8)] xor (T[4][C shr 24] xor T[5][Byte(C shr 16)]);
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

{$IFDEF CRCASM}{$IFDEF I386ASM}{$I crc32_i386.inc}{$ELSE}{$I crc32_x86_64.inc}{$ENDIF}{$ENDIF}

initialization
  Fill(Zip, $EDB88320);
  Fill(Castagnoli, $82F63B78);
end.
