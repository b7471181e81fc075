{ Tests of the stand-alone kernels: the shared vectors, and each kernel against a look-up of one byte at a time.
  `kerneltests VECTORS-FOLDER`; ends with a line of counts like cargo's. }
program KernelTests;

{$IFNDEF FPC_OBJFPC}{$MODE DELPHI}{$ENDIF}{$MODESWITCH CLASSICPROCVARS}{$H+}

uses
  SysUtils, Classes, fpcunit, testregistry, fpjson, Crc32Kernels, Md5Kernels, TestBasics;

type
  TCrcs = class(TTestCase)
  private
    procedure Vectors(const Algorithm, Alias: string; const Names: array of string; const Kernels: array of TCrcFunction);
    procedure Agree(const Name: string; Kernel, Plain: TCrcFunction);
  published
    procedure SharedVectors;
    procedure LikeBytewise;
    procedure NothingAtNil;
  end;

  TMd5 = class(TTestCase)
  private
    procedure Check;
  published
    procedure Default_;
    procedure Pascal_;
    procedure BlocksAgree;
  end;

procedure TCrcs.Vectors(const Algorithm, Alias: string; const Names: array of string; const Kernels: array of TCrcFunction);
const
  FILES: array[0..2] of string = ('crc.jsonl', 'crc-catalogue.jsonl', 'php.jsonl');
var
  Rows, One: TStringList;
  V: TJSONObject;
  M: TBytes;
  I, K, Lines: Integer;
begin
  Rows := TStringList.Create;
  One := TStringList.Create;
  Lines := 0;
  try
    for I := 0 to 2 do
    begin
      One.LoadFromFile(ParamStr(1) + '/' + FILES[I]);
      Rows.AddStrings(One);
    end;
    for I := 0 to Rows.Count - 1 do
    begin
      V := RowOf(Rows[I]);
      try
        if (V.Strings['algorithm'] <> Algorithm) and (V.Strings['algorithm'] <> Alias) then
          Continue;
        M := MessageOf(V);
        for K := 0 to High(Kernels) do
          AssertEquals(Format('%s of %d bytes, %s', [Names[K], Length(M), Rows[I]]), V.Strings['digest_hex'], LowerCase(IntToHex(Kernels[K](Pointer(M), Length(M), 0), 8)));
        Inc(Lines);
      finally
        V.Free;
      end;
    end;
  finally
    One.Free;
    Rows.Free;
  end;
  AssertTrue(Format('%d vectors of %s', [Lines, Algorithm]), Lines >= 30);
end;

procedure TCrcs.Agree(const Name: string; Kernel, Plain: TCrcFunction);
var
  M: array[0..4095] of Byte;
  I, Len, Offset, Cut: Integer;
begin
  for I := 0 to High(M) do
    M[I] := Random(256);
  for Len := 0 to 900 do
    for Offset := 0 to 16 do
      AssertEquals(Format('%s, %d bytes at %d', [Name, Len, Offset]), IntToHex(Plain(@M[Offset], Len, Len * 7919), 8), IntToHex(Kernel(@M[Offset], Len, Len * 7919), 8));
  { Two pieces give the same result as one. }
  for Cut := 0 to 400 do
    AssertEquals(Format('%s, cut at %d', [Name, Cut]), IntToHex(Plain(@M, SizeOf(M), 0), 8), IntToHex(Kernel(@M[Cut], SizeOf(M) - Cut, Kernel(@M, Cut, 0)), 8));
end;

procedure TCrcs.SharedVectors;
begin
  Vectors('crc32', 'crc32b', ['bytewise', 'slicing by 8'], [Crc32Bytewise, Crc32Slicing8]);
  Vectors('crc32c', 'CRC-32/ISCSI', ['bytewise', 'slicing by 8'], [Crc32cBytewise, Crc32cSlicing8]);
  {$IF declared(Crc32FoldAsm)}
  Vectors('crc32', 'crc32b', ['bytewise, assembly', 'unrolled, assembly', 'slicing by 8, assembly'], [Crc32BytewiseAsm, Crc32UnrolledAsm, Crc32Slicing8Asm]);
  if HasClmul then
    Vectors('crc32', 'crc32b', ['folding'], [Crc32FoldAsm])
  else
    Writeln('skipped: folding needs pclmulqdq, which this CPU lacks');
  {$IF declared(Crc32FoldWideAsm)}
  if HasVpclmul then
    Vectors('crc32', 'crc32b', ['wide folding'], [Crc32FoldWideAsm])
  else
    Writeln('skipped: wide folding needs vpclmulqdq and registers of 512 bits, which this CPU lacks');
  {$IFEND}
  if HasSse42 then
    Vectors('crc32c', 'CRC-32/ISCSI', ['SSE4.2'], [Crc32cSse42Asm])
  else
    Writeln('skipped: SSE4.2, which this CPU lacks');
  {$IFEND}
end;

procedure TCrcs.LikeBytewise;
begin
  Agree('slicing by 8', Crc32Slicing8, Crc32Bytewise);
  Agree('slicing by 8, CRC-32C', Crc32cSlicing8, Crc32cBytewise);
  {$IF declared(Crc32FoldAsm)}
  Agree('bytewise, assembly', Crc32BytewiseAsm, Crc32Bytewise);
  Agree('unrolled, assembly', Crc32UnrolledAsm, Crc32Bytewise);
  Agree('slicing by 8, assembly', Crc32Slicing8Asm, Crc32Bytewise);
  if HasClmul then
    Agree('folding', Crc32FoldAsm, Crc32Bytewise);
  {$IF declared(Crc32FoldWideAsm)}
  if HasVpclmul then
    Agree('wide folding', Crc32FoldWideAsm, Crc32Bytewise);
  {$IFEND}
  if HasSse42 then
    Agree('SSE4.2', Crc32cSse42Asm, Crc32cBytewise);
  {$IFEND}
end;

procedure TCrcs.NothingAtNil;
begin
  AssertEquals('00000000', IntToHex(Crc32Bytewise(nil, 0, 0), 8));
  AssertEquals('12345678', IntToHex(Crc32Slicing8(nil, 0, $12345678), 8));
  {$IF declared(Crc32FoldAsm)}
  AssertEquals('12345678', IntToHex(Crc32BytewiseAsm(nil, 0, $12345678), 8));
  AssertEquals('12345678', IntToHex(Crc32UnrolledAsm(nil, 0, $12345678), 8));
  AssertEquals('12345678', IntToHex(Crc32Slicing8Asm(nil, 0, $12345678), 8));
  AssertEquals('12345678', IntToHex(Crc32FoldAsm(nil, 0, $12345678), 8));
  if HasSse42 then
    AssertEquals('12345678', IntToHex(Crc32cSse42Asm(nil, 0, $12345678), 8));
  {$IFEND}
end;

function MD5Hex(const Digest: TMD5Digest): string;
var
  I: Integer;
begin
  Result := '';
  for I := 0 to 15 do
    Result := Result + LowerCase(IntToHex(Digest[I], 2));
end;

{ Checks every vector of MD5 in php.jsonl, at once and in pieces of all lengths, and a copy of the context half-way. }
procedure TMd5.Check;
var
  Rows: TStringList;
  V: TJSONObject;
  M: TBytes;
  Context, Copy_: TMD5Context;
  Digest: TMD5Digest;
  I, K, N, Lines: Integer;
  Want: string;
begin
  Rows := TStringList.Create;
  Lines := 0;
  try
    Rows.LoadFromFile(ParamStr(1) + '/php.jsonl');
    for I := 0 to Rows.Count - 1 do
    begin
      V := RowOf(Rows[I]);
      try
        if V.Strings['algorithm'] <> 'md5' then
          Continue;
        Want := V.Strings['digest_hex'];
        M := MessageOf(V);
      finally
        V.Free;
      end;
      AssertEquals(Want, MD5Hex(MD5(Pointer(M), Length(M))));
      MD5Init(Context);
      K := 0;
      N := 1;
      while K < Length(M) do
      begin
        if N > Length(M) - K then
          N := Length(M) - K;
        MD5Update(Context, @M[K], N);
        Inc(K, N);
        N := N mod 67 + 1;
        Copy_ := Context;
        if K < Length(M) then
          MD5Update(Copy_, @M[K], Length(M) - K);
        MD5Final(Copy_, Digest);
        AssertEquals(Want, MD5Hex(Digest));
      end;
      MD5Final(Context, Digest);
      AssertEquals(Want, MD5Hex(Digest));
      Inc(Lines);
    end;
  finally
    Rows.Free;
  end;
  AssertTrue(Format('%d vectors', [Lines]), Lines >= 30);
  AssertEquals('d41d8cd98f00b204e9800998ecf8427e', MD5Hex(MD5(nil, 0)));
end;

procedure TMd5.Default_;
begin
  Check;
end;

procedure TMd5.Pascal_;
var
  Saved: TMD5Blocks;
begin
  Saved := MD5Blocks;
  MD5Blocks := MD5BlocksPascal;
  try
    Check;
  finally
    MD5Blocks := Saved;
  end;
end;

procedure TMd5.BlocksAgree;
var
  M: array[0..2047] of Byte;
  X, Y: TMD5State;
  I, Count, Offset: Integer;
begin
  for I := 0 to High(M) do
    M[I] := Random(256);
  for Count := 0 to 20 do
    for Offset := 0 to 16 do
    begin
      for I := 0 to 3 do
        X[I] := Cardinal(Random(MaxInt)) * 3;
      Y := X;
      MD5Blocks(X, @M[Offset], Count);
      MD5BlocksPascal(Y, @M[Offset], Count);
      for I := 0 to 3 do
        AssertEquals(Format('%d blocks at %d', [Count, Offset]), IntToHex(Y[I], 8), IntToHex(X[I], 8));
    end;
end;

begin
  RegisterTests([TCrcs, TMd5]);
  RunAll;
end.
